import { problem, Refused, type Serve } from './http-message.ts'
import type { Identity } from './identity.ts'
import { scopeChallenge } from './protected-resource.ts'
import { connect, type OnFault, type ProtocolMessage, writingCall } from './protocol.ts'

/** Serves the tools to one caller over HTTP. */
export function serveCaller(identity: Identity, onFault: OnFault): Serve {
  return function serve(transport, message) {
    askForMore(identity, message)
    return connect(identity, transport, onFault)
  }
}

/**
 * A tool that the token does not allow is refused with 403 where a client can ask the person for more: the protocol's
 * clients begin the authorization again when they see it. Elsewhere the tool says so itself.
 */
function askForMore({ canSend, resource, gate }: Identity, message: ProtocolMessage): void {
  if (canSend || resource === undefined) return
  const call = writingCall(message)
  if (!call) return
  gate.refuse(call.name, call.input)
  const said = `This connection may only read, so nothing was done. The person can allow ${call.name} by connecting again.`
  throw new Refused(problem(403, said, { 'www-authenticate': scopeChallenge(resource) }))
}
