/** The folder of this package: one up, both from `src/` and from the built `dist/`. */
export const packageRoot = new URL('../', import.meta.url)
