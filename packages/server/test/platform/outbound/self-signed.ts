import { generateKeyPairSync, sign } from 'node:crypto'

export interface Certificate {
  cert: string
  key: string
}

/** A certificate for `localhost`, made for the test: no key lies in the repository and none expires. */
export function createSelfSigned(): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signedWith = sequence(oid('2a8648ce3d040302'))
  const name = sequence(tag(0x31, sequence(oid('550403'), tag(0x0c, Buffer.from('localhost')))))
  const from = new Date(Date.now() - 86_400_000)
  const until = new Date(Date.now() + 86_400_000)
  const names = sequence(tag(0x82, Buffer.from('localhost')))
  const extensions = sequence(
    sequence(oid('551d11'), tag(0x04, names)),
    sequence(
      oid('551d13'),
      tag(0x01, Buffer.from([0xff])),
      tag(0x04, sequence(tag(0x01, Buffer.from([0xff])))),
    ),
  )
  const body = sequence(
    tag(0xa0, tag(0x02, Buffer.from([2]))),
    tag(0x02, Buffer.from([1])),
    signedWith,
    name,
    sequence(time(from), time(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tag(0xa3, extensions),
  )
  const signature = tag(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]))
  const encoded = sequence(body, signedWith, signature).toString('base64')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${encoded.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function tag(id: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([id, ...size]), content])
}

function sequence(...parts: Buffer[]): Buffer {
  return tag(0x30, Buffer.concat(parts))
}

function oid(hex: string): Buffer {
  return tag(0x06, Buffer.from(hex, 'hex'))
}

function time(date: Date): Buffer {
  return tag(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`))
}
