import { defineConfig } from 'vitest/config'
import Sequencer from './scripts/test/sequencer.ts'
import projects from './vitest.workspace.ts'

export default defineConfig({
  test: {
    projects,
    watch: false,
    sequence: { sequencer: Sequencer },
    // A PostgreSQL for the whole run.
    globalSetup: ['packages/server/test/support/postgres.setup.ts'],
  },
})
