import type { KnipConfig } from 'knip'
import server from './packages/server/package.json' with { type: 'json' }

const config: KnipConfig = {
  // Generated from the document, whole: what nobody needs yet is still true to it.
  ignore: ['**/generated/**'],
  // Each example is a project of its own.
  ignoreWorkspaces: ['examples/*'],
  ignoreDependencies: [
    // Run by people who make a release.
    '@changesets/cli',
    // Run by scripts/check.ts.
    '@arethetypeswrong/cli',
    '@biomejs/biome',
    '@redocly/cli',
    'dependency-cruiser',
    'publint',
    // Run by packages/server/test/torture/mutants.
    '@stryker-mutator/core',
    '@stryker-mutator/vitest-runner',
  ],
  // Of the machine, for npm run lab.
  ignoreBinaries: ['apt-get', 'mkfifo', 'openssl', 'promtool', 'taskset'],
  // A type that a signature of its file mentions has a reason to be exported; a value needs an importer.
  ignoreExportsUsedInFile: { interface: true, type: true },
  workspaces: {
    '.': {
      entry: [
        // Run by hand when the list of passwords is renewed.
        'scripts/generate/common-passwords.ts',
        // Run by scripts of package.json through scripts/setup.mjs, and by a release.
        'scripts/{build,check,ci,generate,lab,pack,test,versions}.ts',
        'scripts/lab/bench/{accepting,flooded}.ts',
        'scripts/lab/bench/rig/load.ts',
        'scripts/lab/bench/rivals/{echo,stateless}.ts',
        'scripts/lab/bench/smpp/{carrier,first-of-ours,first-of-theirs}.ts',
        'scripts/lab/pictures/icon.ts',
        'scripts/lint/comments.ts',
        'scripts/test/dear/reporter.ts',
        'scripts/test/deploy/systemd-run.ts',
        'scripts/test/from-sources.ts',
        'scripts/test/guides/{npm-install,run-ci}.ts',
      ],
      project: ['scripts/**'],
      // Declared here too, so that `npm start` installs what the build of the server bundles.
      ignoreDependencies: Object.keys(server.devDependencies),
    },
    'packages/server': {
      entry: [
        'test/history/million.ts',
        'test/torture/histories/recheck.ts',
        '{src,test}/**/*.thread.ts',
        // The compiler calls it for every tag of a page.
        'src/net/pages/jsx-runtime.ts',
        'test/torture/mutants/*.config.*',
      ],
      project: ['src/**', 'test/**'],
    },
    // scripts/bundle.ts builds the one-click bundle from this entry.
    'packages/mcp': { entry: ['src/bundle.ts'], project: ['src/**', 'test/**'] },
    'packages/sdk': { entry: ['test/process/bulk.ts'], project: ['src/**', 'test/**'] },
    'packages/*': { project: ['src/**', 'test/**'] },
  },
}

export default config
