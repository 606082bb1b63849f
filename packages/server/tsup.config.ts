import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'esbuild'
import { build, defineConfig } from 'tsup'

/** Read from one file at the start instead of from hundreds: a fifth of a second instead of three quarters. */
const bundled = [
  '@hono/node-server',
  // Only of `connector check` and `conform`: the client parts, in place of 74 packages of which most are for servers.
  '@modelcontextprotocol/sdk',
  '@wigwag/conform',
  'commander',
  'csv-parse',
  'drizzle-orm',
  'fast-string-width',
  'hono',
  'ipaddr.js',
  'libphonenumber-js',
  'undici',
  'zod',
]

/**
 * Bundles of undici what the sources import from it, its client. Its index also loads its fetch, caches, mocks and sockets,
 * which no bundler can leave out of CommonJS: a start would take 0.1 s and 15 MB more. Without that file in a later version,
 * the whole package is bundled and does the same. Another name that is imported of undici has to be added here.
 */
const clientOfUndici: Plugin = {
  name: 'client-of-undici',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]undici[\\/]index\.js$/ }, ({ path }) => {
      const resolveDir = dirname(path)
      const client = './lib/dispatcher/client.js'
      if (!existsSync(join(resolveDir, client))) return undefined
      return { contents: `exports.Client = require('${client}')`, resolveDir }
    })
  },
}

/**
 * `require('@wigwag/server/testing')`. Jest can't require ESM before Node 24.9, so the packages that exist only as ESM
 * are bundled; the others, the SDK among them, are the test's own.
 */
const required = {
  entry: { testing: 'src/testing/index.ts' },
  format: 'cjs',
  target: 'node22',
  shims: true,
  noExternal: [...bundled, '@wigwag/mcp', '@modelcontextprotocol/server', 'oidc-provider'],
  esbuildPlugins: [clientOfUndici],
  tsconfig: '../../tsconfig.json',
} as const

/** For bundled packages that are CommonJS: in a module there is no `require` for what comes with Node. */
const banner = {
  js: "import { createRequire as requireOf } from 'node:module'\nconst require = requireOf(import.meta.url)",
}

/** The program. */
const gateway = defineConfig({
  entry: {
    main: 'src/main.ts',
    testing: 'src/testing/index.ts',
    'checkpoint.thread': 'src/store/sqlite/checkpoint.thread.ts',
    'network.thread': 'src/net/outbound/network.thread.ts',
    'smpp.thread': 'src/delivery/carriers/smpp.thread.ts',
    'password.thread': 'src/sign-in/portal/passwords/password.thread.ts',
  },
  format: ['esm'],
  target: 'node22',
  splitting: true,
  banner,
  // A path of the sources makes its types part of ours: the package itself is never published.
  dts: {
    entry: { testing: 'src/testing/index.ts' },
    compilerOptions: {
      paths: {
        '@wigwag/contract': ['../contract/src/index.ts'],
        '@wigwag/contract/*': ['../contract/src/generated/*.ts'],
        '@wigwag/server/jsx-runtime': ['src/net/pages/jsx-runtime.ts'],
      },
    },
  },
  clean: true,
  noExternal: bundled,
  esbuildPlugins: [clientOfUndici],
  // scripts/build.ts reads there what the program contains.
  metafile: true,
  // Afterwards, because this build first empties the folder.
  onSuccess: () =>
    build({
      ...required,
      noExternal: [...required.noExternal],
      esbuildPlugins: [...required.esbuildPlugins],
      config: false,
      silent: true,
    }),
  tsconfig: '../../tsconfig.json',
})

/** The scripts and stylesheets of the console, the desk and the reference, one file each, for the browsers of the last two years. */
const pages = defineConfig({
  entry: {
    script: 'src/web/console/browser/main.ts',
    send: 'src/web/console/browser/send.ts',
    proof: 'src/web/console/browser/proof.ts',
    style: 'src/web/console/style/console.css',
    desk: 'src/web/desk/browser/main.ts',
    'desk-style': 'src/web/desk/style/desk.css',
    reference: 'src/web/reference/browser/reference.ts',
    'reference-style': 'src/web/reference/style/reference.css',
  },
  format: ['iife'],
  platform: 'browser',
  target: 'es2022',
  outDir: 'assets/console',
  outExtension: () => ({ js: '.js' }),
  minify: true,
  clean: true,
  tsconfig: '../../tsconfig.json',
})

export default [gateway, pages].flat()
