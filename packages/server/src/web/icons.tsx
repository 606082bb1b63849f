import { raw } from 'hono/html'
import type { Markup } from '../net/pages/markup.ts'

/** Every icon: its drawing in a square of 16. */
const DRAWINGS = {
  bell: '<path d="M3 12h10c-3-2 0-9-5-9s-2 7-5 9M7 14h2"/>',
  inbox: '<path d="M2 9.5 4 3h8l2 6.5V13H2Z"/><path d="M2 9.5h3.5L6.5 11h3l1-1.5H14"/>',
  send: '<path d="M2 7.5 14 2 9.5 14 7.5 9Z"/><path d="M7.5 9 14 2"/>',
  calendar: '<rect x="2" y="3" width="12" height="11" rx="1.5"/><path d="M2 6.5h12M5 1.5v3M11 1.5v3"/>',
  chart: '<path d="M2 14h12M4 14V9M8 14V3M12 14V6"/>',
  wallet: '<rect x="2" y="4" width="12" height="9" rx="1.5"/><path d="M4 4l6-2v2M10.5 8.5H14"/>',
  people: '<circle cx="8" cy="5" r="3"/><path d="M2 14.5c.4-3.4 2.7-5 6-5s5.6 1.6 6 5"/>',
  sender: '<path d="M4 2h8v12l-4-3-4 3Z"/>',
  tag: '<path d="M2 2h6l6 6-6 6-6-6Z"/><path d="M5 5v.1"/>',
  code: '<path d="m5 4-4 4 4 4M11 4l4 4-4 4"/>',
  callback: '<path d="M3 6.5A5 5 0 0 1 12.5 5M13 9.5A5 5 0 0 1 3.5 11"/><path d="M12.5 2v3h-3M3.5 14v-3h3"/>',
  key: '<circle cx="5" cy="11" r="3"/><path d="m7.2 8.8 6.3-6.3M10.5 5.5l2 2"/>',
  assistant: '<rect x="2.5" y="5" width="11" height="8.5" rx="2"/><path d="M8 5V2M5.5 9v1M10.5 9v1"/>',
  antenna: '<path d="M8 6v8M5.5 14h5M4.5 9a4.5 4.5 0 0 1 0-6M11.5 3a4.5 4.5 0 0 1 0 6"/>',
  search: '<circle cx="7" cy="7" r="4.5"/><path d="m10.5 10.5 3.5 3.5"/>',
  menu: '<path d="M2 4h12M2 8h12M2 12h12"/>',
  clock: '<circle cx="8" cy="8" r="6"/><path d="M8 8V4.5M8 8l2.4 1.4"/>',
  disc: '<circle cx="8" cy="8" r="6.75" class="filled"/><path d="m5.2 8.2 1.9 1.9 3.7-4" class="on-filled"/>',
  triangle: '<path d="M8 2 14.5 13.5h-13Z"/><path d="M8 6.4v3.2M8 11.4v.1"/>',
  tick: '<path d="m3.5 8.5 3 3 6-6.5"/>',
  again: '<path d="M13 8a5 5 0 1 1-1.5-3.5M13 2v3h-3"/>',
  cross: '<circle cx="8" cy="8" r="6.2"/><path d="m5.8 5.8 4.4 4.4m0-4.4-4.4 4.4"/>',
  octagon: '<path d="M5.3 1.8h5.4l3.5 3.5v5.4l-3.5 3.5H5.3l-3.5-3.5V5.3Z"/><path d="M5 8h6"/>',
  hourglass: '<path d="M4 2h8M4 14h8M5 2c0 3 2 4 3 6 1-2 3-3 3-6M5 14c0-3 2-4 3-6 1 2 3 3 3 6"/>',
  broken: '<circle cx="8" cy="8" r="6" stroke-dasharray="2.4 2"/><path d="M5.5 8h5"/>',
  dot: '<circle cx="8" cy="8" r="3.5"/>',
} as const

export type IconName = keyof typeof DRAWINGS

/** All drawings, once a page, for {@link icon} to refer to. */
export const sprite: Markup = (
  <svg width="0" height="0" class="unseen" aria-hidden="true">
    <defs>
      {raw(
        Object.entries(DRAWINGS)
          .map(([name, drawing]) => `<symbol id="i-${name}" viewBox="0 0 16 16">${drawing}</symbol>`)
          .join(''),
      )}
    </defs>
  </svg>
)

/** A picture beside a word. Screen readers get the word alone. */
export function icon(name: IconName): Markup {
  return (
    <svg class="icon" aria-hidden="true">
      <use href={`#i-${name}`} />
    </svg>
  )
}
