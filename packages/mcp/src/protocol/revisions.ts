import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'

/** The revision without a session. The library has a list of such, and does not export it. */
export const STATELESS = '2026-07-28'
/** The revision of a client that does not say which it speaks. */
export const WHEN_UNSAID = '2025-03-26'
/** All revisions: the library's list has none without a session. */
export const supportedProtocolVersions = [STATELESS, ...SUPPORTED_PROTOCOL_VERSIONS]
