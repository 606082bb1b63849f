import { defineConfig } from 'vitest/config'
import projects, { maxWorkers } from './vitest.workspace.ts'

export default defineConfig({ test: { projects, watch: false, maxWorkers } })
