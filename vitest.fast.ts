import { defineConfig, mergeConfig } from 'vitest/config'
import { maxWorkers, project } from './vitest.workspace.ts'

const server = {
  include: [
    'packages/server/test/{domain,platform/jobs,platform/pages,assistants/consent,delivery,routes}/**/*.test.ts',
  ],
  exclude: ['packages/server/test/routes/{*/503,send-*/409,schedule-sms/409}.test.ts'],
}
/** Packing the package, a browser, and whole programs that go through the compiler take longer than all the rest. */
const sdk = {
  include: ['packages/sdk/test/*.test.ts'],
  exclude: ['packages/sdk/test/{browser,bundle,compile}.test.ts'],
}

/** The tests to run while you work: without PostgreSQL, a browser, or processes that are killed. */
export default defineConfig({
  test: {
    projects: [mergeConfig(project('server'), { test: server }), mergeConfig(project('sdk'), { test: sdk })],
    testNamePattern: /^(?!.*PostgreSQL)/,
    watch: false,
    maxWorkers,
  },
})
