import { getRequestListener } from '@hono/node-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type NodeTransport, nodeTransport } from '../src/node/index.ts'
import { type FaultServer, faultServer, GET, sent } from './fault-server.ts'

let server: FaultServer
let transport: NodeTransport
beforeAll(async () => {
  transport = nodeTransport()
  server = await faultServer((response) => {
    response.writeHead(200, 'Fine', [
      'content-type',
      'application/json',
      'x-request-id',
      'request-1',
      'set-cookie',
      'a=1',
      'set-cookie',
      'b=2',
    ])
    response.end(JSON.stringify(sent))
  })
})
afterAll(async () => {
  await transport.close()
  await server[Symbol.asyncDispose]()
})

const get = () => transport(server.baseUrl, GET)

describe('a response of the Node transport', () => {
  it('says what a real one says', async () => {
    const [light, real] = await Promise.all([get(), fetch(server.baseUrl)])
    // A server in this process may have replaced the global one.
    expect(light).toBeInstanceOf(real.constructor)
    for (const name of ['ok', 'status', 'statusText', 'redirected', 'type', 'bodyUsed'] as const)
      expect([name, light[name]]).toEqual([name, real[name]])
    expect(new URL(light.url).href).toBe(real.url)
    const ofAnswer = ([name]: [string, string]) => name !== 'date'
    expect([...light.headers].filter(ofAnswer)).toEqual([...real.headers].filter(ofAnswer))
    expect(light.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })

  it('is read in every way in which a real one is read', async () => {
    const text = JSON.stringify(sent)
    expect(await (await get()).text()).toBe(text)
    expect(await (await get()).json()).toEqual(sent)
    expect(await (await (await get()).blob()).text()).toBe(text)
    expect(Buffer.from(await (await get()).arrayBuffer()).toString()).toBe(text)
    expect(Buffer.from(await (await get()).bytes()).toString()).toBe(text)
    expect(await new Response((await get()).body).text()).toBe(text)
    await expect((await get()).formData()).rejects.toBeInstanceOf(TypeError)
  })

  it('is read in a program whose server has replaced the global Response', async () => {
    const { constructor: native } = await fetch(server.baseUrl)
    getRequestListener(() => new Response())
    expect(globalThis.Response).not.toBe(native)
    const loadedNow = new URL('../src/node/light-response.ts?after-that', import.meta.url).href
    const { LightResponse }: typeof import('../src/node/light-response.ts') = await import(loadedNow)
    const bytes = new TextEncoder().encode(JSON.stringify(sent))
    const answered = () => new LightResponse(server.baseUrl, 200, 'Fine', {}, bytes)
    expect(answered().clone().statusText).toBe('Fine')
    expect(await answered().bytes()).toEqual(bytes)
    expect(await answered().json()).toEqual(sent)
  })

  it('is read once', async () => {
    const response = await get()
    await response.text()
    expect(response.bodyUsed).toBe(true)
    expect(response.body?.locked).toBe(true)
    await expect(response.text()).rejects.toBeInstanceOf(TypeError)
    await expect(response.json()).rejects.toBeInstanceOf(TypeError)
    expect(() => response.clone()).toThrow(TypeError)
  })

  it('is read twice where it was cloned before', async () => {
    const response = await get()
    const copy = response.clone()
    expect(await response.text()).toBe(await copy.text())
    expect(response.bodyUsed).toBe(true)
  })
})
