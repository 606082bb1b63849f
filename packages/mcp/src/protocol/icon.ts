/** The gateway's mark, a flag with a red heart, as its pages have it in a browser's tab. */
const FLAG =
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'>" +
  "<rect x='1.5' y='1.5' width='21' height='21' rx='3' fill='#fff' stroke='#7d868d'/>" +
  "<rect x='7.5' y='7.5' width='9' height='9' fill='#c8321f'/></svg>"

export const ICON = {
  src: `data:image/svg+xml;base64,${Buffer.from(FLAG).toString('base64')}`,
  mimeType: 'image/svg+xml',
  sizes: ['any'],
}
