import { defineConfig } from 'tsup'

export default defineConfig({
  entry: { index: 'src/index.ts', node: 'src/node/index.ts', raw: 'src/raw.ts' },
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'neutral',
  // A path of the sources makes its types part of ours: the package itself is never published.
  dts: { compilerOptions: { paths: { '@wigwag/contract/*': ['../contract/src/generated/*.ts'] } } },
  // Each entry is one file: browsers load it without a bundler.
  splitting: false,
  clean: true,
})
