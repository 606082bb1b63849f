export { decode } from './decode.ts'
export * from './encode.ts'
export { Frames } from './frames.ts'
export { COMMAND, ESM, type Pdu, RESPONSE, type ShortMessage, TAG } from './pdu.ts'
