import {
  createProject,
  type Grant,
  grantToProject,
  listProjects,
  type NewProject,
  type Project,
  projectById,
} from '#store/queries/projects.ts';
import type { Database } from '#store/database.ts';

export type { Project } from '#store/queries/projects.ts';

/** Management of the projects of a database. A service may use the database at the same time. */
export interface Projects {
  /** Creates a project; returns null when its name is taken. */
  create(wanted: NewProject): Promise<Project | null>;
  /**
   * Changes the credit and limits of a project. Credit applies from the next model call, the request rate and zero data
   * retention from the next request. Other limits apply to sessions, browsers and schedules that begin later. Rejects
   * for an unknown project.
   */
  change(id: string, grant: Grant): Promise<Project>;
  /** Returns all projects, the oldest first. */
  list(): Promise<Project[]>;
  /** Returns a project. Rejects for an unknown id. */
  get(id: string): Promise<Project>;
}

/**
 * Creates the management of a database's projects. A running service sees each change, because it reads a project on
 * every use.
 */
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
