import { script, stylesheet } from '../../pages/assets.ts'

/** The console's own files; those that send, and those on which people show who they are, have a script beside the other. */
export const ASSETS = {
  style: stylesheet('style.css'),
  script: script('script.js'),
  sendScript: script('send.js'),
  proofScript: script('proof.js'),
} as const

/** Their addresses. */
export type AssetPaths = Record<keyof typeof ASSETS, string>
