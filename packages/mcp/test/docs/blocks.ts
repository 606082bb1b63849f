import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../../..')

/** A fenced code block of a document. */
export interface Block {
  language: string
  text: string
}

export interface Document {
  text: string
  blocks: Block[]
  /** Its headings, as links name them. */
  anchors: string[]
  /** Its links inside the repository. */
  links: { path: string; anchor: string | undefined }[]
}

export function readDocument(path: string): Document {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const blocks = [...text.matchAll(/^( *)```(\w*)\n(.*?)^ *```$/gms)].map(
    ([, indent = '', language = '', inside = '']) => ({
      language,
      text: inside.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trimEnd(),
    }),
  )
  const prose = text.replaceAll(/^ *```.*?^ *```$/gms, '')
  const anchors = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => anchorOf(title))
  const links = [...prose.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)].map(([, to = '', anchor]) => ({
    path: to === '' ? path : join(path, '..', to),
    anchor,
  }))
  return { text, blocks, anchors, links }
}

function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')
}
