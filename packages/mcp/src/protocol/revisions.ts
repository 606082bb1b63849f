import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'

/** The revisions without a session. The library has a list of them, and does not export it. */
export const STATELESS: readonly string[] = ['2026-07-28']
/** What a server has to be told to serve clients of all revisions. */
export const supportedProtocolVersions = [...STATELESS, ...SUPPORTED_PROTOCOL_VERSIONS]
