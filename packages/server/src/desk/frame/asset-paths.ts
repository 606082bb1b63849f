import { script, stylesheet } from '../../pages/assets.ts'

/** The desk's own files. */
export const ASSETS = { style: stylesheet('desk-style.css'), script: script('desk.js') } as const

/** Their addresses. */
export type AssetPaths = Record<keyof typeof ASSETS, string>
