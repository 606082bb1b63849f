import { defineConfig } from 'vitest/config'
import projects from './vitest.workspace.ts'

export default defineConfig({
  test: {
    projects,
    watch: false,
    // A PostgreSQL for the whole run.
    globalSetup: ['packages/server/test/support/postgres.setup.ts'],
  },
})
