import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts'],
  format: ['esm'],
  target: 'node22',
  // A path of the sources makes its types part of ours: the package itself is never published.
  dts: {
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
