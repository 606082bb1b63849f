import { script, stylesheet } from '../../pages/assets.ts'

/** The desk's own files, and what a customer's console wears where an operator looks at it. */
export const ASSETS = {
  style: stylesheet('desk-style.css'),
  script: script('desk.js'),
  consoleStyle: stylesheet('style.css'),
} as const

/** Their addresses. */
export type AssetPaths = Record<keyof typeof ASSETS, string>
