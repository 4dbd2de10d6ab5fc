import { accessSync, constants } from 'node:fs';

/** A program that a Debian package provides. */
export interface SystemPart {
  /** Path at which the package installs it. */
  readonly path: string;
  /** Environment variable with the path of the program on systems where it has another path. */
  readonly variable: string;
  readonly package: string;
}

/**
 * Debian programs that tests need. chromedriver works only with the Chromium of the same version; the package of
 * chromedriver depends on this Chromium.
 */
export const parts = {
  chromedriver: { path: '/usr/bin/chromedriver', variable: 'CHROMEDRIVER_PATH', package: 'chromium-driver' },
  chromium: { path: '/usr/lib/chromium/chromium', variable: 'CHROMIUM_PATH', package: 'chromium' },
  bash: { path: '/bin/bash', variable: 'BASH_PATH', package: 'bash' },
  zsh: { path: '/usr/bin/zsh', variable: 'ZSH_PATH', package: 'zsh' },
  fish: { path: '/usr/bin/fish', variable: 'FISH_PATH', package: 'fish' },
  script: { path: '/usr/bin/script', variable: 'SCRIPT_PATH', package: 'bsdutils' },
  systemdAnalyze: { path: '/usr/bin/systemd-analyze', variable: 'SYSTEMD_ANALYZE_PATH', package: 'systemd' },
} as const satisfies Readonly<Record<string, SystemPart>>;

/**
 * Returns the path of a program, from its environment variable if set. If the program is not executable, throws an
 * error that names the package to install.
 */
export function systemPart({ path, variable, package: name }: SystemPart, environment = process.env): string {
  const wanted = environment[variable] ?? path;
  try {
    accessSync(wanted, constants.X_OK);
    return wanted;
  } catch (error) {
    const next = `apt-get install ${name}, or set ${variable}`;
    throw new Error(`Found no program at ${wanted}. Expected one of the package ${name}. Next: ${next}.`, {
      cause: error,
    });
  }
}
