import { defineConfig } from 'tsup'

export default defineConfig({
  entry: { index: 'src/index.ts', codec: 'src/codec/index.ts', testing: 'src/smsc/index.ts' },
  format: ['esm', 'cjs'],
  target: 'node20',
  // Code that the entries share is in one file, so that a number or a class is the same for all of them.
  splitting: true,
  // A path of the sources makes its types part of ours: the package itself is never published.
  dts: { compilerOptions: { paths: { '@wigwag/contract': ['../contract/src/index.ts'] } } },
  clean: true,
  tsconfig: '../../tsconfig.json',
})
