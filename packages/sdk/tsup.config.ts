import { defineConfig } from 'tsup'

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    node: 'src/node/index.ts',
    raw: 'src/raw.ts',
    segments: 'src/segments/index.ts',
    testing: 'src/testing/index.ts',
  },
  // The fake imports the package by its name, so that its errors are the ones that a test imports.
  external: ['@wigwag/sdk'],
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'neutral',
  // Each entry is one file, so that a page can load it without a bundler.
  splitting: false,
  // A path of the sources makes its types part of ours: the package itself is never published.
  dts: {
    compilerOptions: {
      paths: {
        '@wigwag/contract/content': ['../contract/src/text/content.ts'],
        '@wigwag/contract/recipient': ['../contract/src/text/recipient.ts'],
        '@wigwag/contract/segments': ['../contract/src/text/segments.ts'],
        '@wigwag/contract/*': ['../contract/src/generated/*.ts'],
      },
    },
  },
  sourcemap: true,
  clean: true,
})
