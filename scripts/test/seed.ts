import fc from 'fast-check'

/** Where a run is given a seed, as in CI, properties are tried from it as well: so what was red can be run again. */
const seed = process.env.TORTURE_SEED
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) })
