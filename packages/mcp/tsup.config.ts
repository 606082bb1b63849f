import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts', 'src/main.ts'],
  format: ['esm'],
  target: 'node22',
  splitting: true,
  dts: { entry: 'src/index.ts' },
  clean: true,
  tsconfig: '../../tsconfig.json',
})
