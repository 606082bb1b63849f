import { script, stylesheet } from '../../pages/assets.ts'

/** The console's own files; those of the pages that send have a script beside the other. */
export const ASSETS = {
  style: stylesheet('style.css'),
  script: script('script.js'),
  sendScript: script('send.js'),
} as const

/** Their addresses. */
export type AssetPaths = Record<keyof typeof ASSETS, string>
