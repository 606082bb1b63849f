import {
  isJSONRPCRequest,
  isSpecType,
  type JSONRPCMessage,
  type JSONRPCRequest,
} from '@modelcontextprotocol/server'
import type { Arguments } from '../tools/index.ts'

/** The name and the arguments, if the request calls a tool. */
export function toolCallOf(request: JSONRPCRequest): { name: string; input: Arguments } | undefined {
  if (!isSpecType.CallToolRequest(request)) return undefined
  return { name: request.params.name, input: request.params.arguments ?? {} }
}

/** Reads a message of the protocol; undefined for anything else. */
export function readMessage(value: unknown): JSONRPCMessage | undefined {
  return isSpecType.JSONRPCMessage(value) ? value : undefined
}

/** An error that answers the request with this id, or none in particular. */
export function protocolError(
  code: number,
  message: string,
  { id = null, data }: { id?: string | number | null; data?: unknown } = {},
) {
  return { jsonrpc: '2.0' as const, id, error: { code, message, ...(data !== undefined && { data }) } }
}

export function idOf(body: unknown): string | number | null {
  return isJSONRPCRequest(body) ? body.id : null
}

/** The value of a JSON text; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
