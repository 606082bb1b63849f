import { raw } from 'hono/html'
import { type Markup, markup } from '../platform/pages/markup.ts'
import type { Theme } from './theme.ts'

/** What is in the flag of a tab's icon, so that open tabs can be told apart. */
export const HEARTS = {
  real: "%3Crect x='7.5' y='7.5' width='9' height='9' fill='%23c8321f'/%3E",
  sandbox: "%3Crect x='7.5' y='7.5' width='9' height='9' fill='none' stroke='%23c8321f' stroke-width='3'/%3E",
  desk: "%3Crect x='7.5' y='7.5' width='9' height='9' fill='%232b3f8f'/%3E",
}

export interface PageDocument {
  title: string
  /** Stands behind every title. */
  site: string
  heart: string
  /** The addresses of the stylesheet and the scripts. */
  style: string
  scripts: readonly string[]
  theme: Theme | undefined
}

/** A whole page: its head, and a body. */
export function documentOf(
  { title, site, heart, style, scripts, theme }: PageDocument,
  body: Markup,
): string {
  return markup`<!doctype html>
<html lang="en"${theme && markup` data-theme="${theme}"`}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex">
<title>${title} · ${site}</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Crect x='1.5' y='1.5' width='21' height='21' rx='3' fill='%23fff' stroke='%237d868d'/%3E${raw(heart)}%3C/svg%3E">
<link rel="stylesheet" href="${style}">${scripts.map((script) => markup`<script src="${script}" defer></script>`)}</head>
<body>
${body}
</body></html>
`.toString()
}
