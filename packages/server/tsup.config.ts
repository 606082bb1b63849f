import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/main.ts'],
  format: ['esm'],
  target: 'node22',
  splitting: true,
  clean: true,
  tsconfig: '../../tsconfig.json',
})
