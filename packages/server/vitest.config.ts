import { mergeConfig } from 'vitest/config'
import { project } from '../../vitest.workspace.ts'

export default mergeConfig(project('server'), { test: { globalSetup: ['test/support/postgres.setup.ts'] } })
