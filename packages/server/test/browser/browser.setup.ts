import { findBrowser } from './chromium.ts'

/** Unpacks the browser before any test: several workers that each did would take as long as all their tests. */
export default async function unpackBrowser(): Promise<void> {
  await findBrowser()
}
