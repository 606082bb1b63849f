import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts', 'src/main.ts'],
  format: ['esm'],
  target: 'node22',
  splitting: true,
  // A path of the sources makes its types part of ours: the package itself is never published.
  dts: {
    entry: 'src/index.ts',
    compilerOptions: {
      paths: {
        '@wigwag/contract': ['../contract/src/index.ts'],
        '@wigwag/contract/*': ['../contract/src/generated/*.ts'],
      },
    },
  },
  clean: true,
  tsconfig: '../../tsconfig.json',
})
