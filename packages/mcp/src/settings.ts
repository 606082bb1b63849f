import { type ClientSettings, readClientSettings } from './client-settings.ts'
import { type Flags, readFlags, UsageError } from './command-line.ts'
import type { Environment } from './config-snippet.ts'
import { readSignInSettings, type SignInSettings } from './sign-in-settings.ts'

/** How the program is to run, as its flags and its environment say. */
export type Settings = ClientSettings | SignInSettings

export function readSettings(args: readonly string[], env: Environment): Settings {
  const flags = readFlags(args)
  checkHttp(flags)
  const publicUrl = flags['public-url']
  return publicUrl === undefined ? readClientSettings(flags, env) : readSignInSettings(flags, env, publicUrl)
}

/** Who may call over HTTP is said, and said once. */
function checkHttp(flags: Flags): void {
  const { http, unprotected } = flags
  const isSignedIn = flags['public-url'] !== undefined
  for (const flag of ['public-url', 'unprotected', 'host', 'port'] as const) {
    if (http || flags[flag] === undefined) continue
    throw new UsageError(`--${flag} goes with --http; without that, nothing listens.`)
  }
  if (isSignedIn && unprotected) {
    throw new UsageError('Expected --public-url, where people sign in, or --unprotected; got both.')
  }
  if (http && !isSignedIn && !unprotected) {
    throw new UsageError(
      '--http without sign-in serves this wallet to whoever can reach the port. Add --public-url with the address of ' +
        'the tools to have people sign in, or --unprotected to listen on this machine alone.',
    )
  }
}
