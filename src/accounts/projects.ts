import type { Database } from '#store/database.ts';
import {
  createProject,
  type Grant,
  grantToProject,
  listProjects,
  type NewProject,
  type Project,
  projectById,
} from '#store/queries/projects.ts';

export type { Project } from '#store/queries/projects.ts';

/** The projects of a database, also while a service uses it. */
export interface Projects {
  /** Returns null, without a write, when another project has its name. */
  create(wanted: NewProject): Promise<Project | null>;
  /** Changes the credit and limits of a project, for what begins from then on. Throws for an unknown project. */
  change(id: string, grant: Grant): Promise<Project>;
  /** Returns all projects, the oldest first. */
  list(): Promise<Project[]>;
  /** Throws for an unknown project. */
  get(id: string): Promise<Project>;
}

/** Creates access to the projects of a database. The service reads a project anew whenever it needs it. */
export function createProjects(db: Database): Projects {
  return {
    create: (wanted) => createProject(db, wanted),
    async change(id, grant) {
      await grantToProject(db, id, grant);
      return projectById(db, id);
    },
    list: () => listProjects(db),
    get: (id) => projectById(db, id),
  };
}
