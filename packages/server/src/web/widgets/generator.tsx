import type { Markup } from '../../net/pages/markup.ts'
import { otpauthUrl } from '../../sign-in/factors/index.ts'
import { copyButton } from './code.tsx'
import { qrCode } from './qr-code.ts'

/** The key of a code generator: to scan, to open where the app is on the same device, and to type or copy. */
export function generatorKey({ secret, name, site }: { secret: string; name: string; site: string }): Markup {
  const url = otpauthUrl(secret, name, site)
  const code = qrCode(url)
  return (
    <>
      <p>
        {code
          ? 'Scan this with the app, or put the key below it into the app, or '
          : 'Put this key into the app, or '}
        <a href={url}>open it there</a>:
      </p>
      {code && qrPicture(code)}
      <div class="code wrap">
        <pre id="generator-key" class="groups">
          {(secret.match(/.{1,4}/g) ?? []).map((group) => (
            <i>{group}</i>
          ))}
        </pre>
        {copyButton('generator-key', 'the key')}
      </div>
    </>
  )
}

/** The light modules around a code, without which cameras don't find it. */
const QUIET = 4

/** Black on white in every theme: many cameras read nothing else. */
function qrPicture(code: readonly (readonly boolean[])[]): Markup {
  const size = code.length + 2 * QUIET
  const runs = code.flatMap((row, y) =>
    [
      ...row
        .map((isDark) => (isDark ? '1' : '0'))
        .join('')
        .matchAll(/1+/g),
    ].map(({ 0: { length }, index }) => `M${index + QUIET} ${y + QUIET}h${length}v1h-${length}z`),
  )
  return (
    <svg
      class="qr"
      shape-rendering="crispEdges"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label="QR code of the key"
    >
      <rect width={size} height={size} fill="#fff" />
      <path fill="#000" d={runs.join('')} />
    </svg>
  )
}
