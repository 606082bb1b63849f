import { mergeConfig } from 'vitest/config'
import { project } from '../../vitest.workspace.ts'

// The programs of the documentation replace what is global, such as Response: that stays in the worker of their file.
export default mergeConfig(project('sdk'), { test: { isolate: true } })
