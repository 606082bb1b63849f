import { type AllowedHosts, refusal } from './http-checks.ts'
import { type Serve, takeMessage } from './http-message.ts'
import type { Identity } from './identity.ts'
import type { OnFault } from './protocol.ts'
import { serveCaller } from './serve-caller.ts'
import { fromWeb, toWeb } from './web-message.ts'

export interface HttpHandlerOptions extends AllowedHosts {
  /** Says who calls, or answers in place of the tools, as with a 401. */
  identify(request: Request): Promise<Identity | Response>
  onFault?: OnFault
}

/** Serves the tools to whoever `identify` lets in, for any framework that has web requests. */
export function createHttpHandler(options: HttpHandlerOptions): (request: Request) => Promise<Response> {
  const { identify, onFault = () => {} } = options
  return createHttpDoor(options, async (request) => {
    const identity = await identify(request)
    return identity instanceof Response ? identity : serveCaller(identity, onFault)
  })
}

/** The same for any server of the protocol: `open` gives the one for a request, or answers in its place. */
export function createHttpDoor(
  allowed: AllowedHosts,
  open: (request: Request) => Promise<Serve | Response>,
): (request: Request) => Promise<Response> {
  return async function take(request) {
    const incoming = fromWeb(request)
    const refused = refusal(incoming, allowed)
    if (refused) return toWeb(refused)
    const serve = await open(request)
    return serve instanceof Response ? serve : toWeb(await takeMessage(incoming, serve))
  }
}
