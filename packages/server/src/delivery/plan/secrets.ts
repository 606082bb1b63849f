import type { Given, Reader } from './field-reader.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Makes a property invisible to printing, inspecting, JSON and copying by spreading, so that a secret is not shown by
 * accident.
 */
export function keepHidden<T extends object>(settings: T, property: keyof T): T {
  return Object.defineProperty(settings, property, { enumerable: false })
}

/** Reads a secret from the environment variable that a field names. */
export function readSecret(
  reader: Reader,
  given: Given | undefined,
  environment: Environment,
): string | undefined {
  if (given === undefined) return undefined
  const name = typeof given.value === 'string' ? given.value : ''
  if (!/^[A-Z_][A-Z0-9_]*$/.test(name)) {
    // It may be the secret itself.
    const expected = 'the name of an environment variable, in capital letters such as NORTH_PASSWORD'
    reader.complain(given, expected, { got: undefined })
    return undefined
  }
  const secret = environment[name]
  if (secret) return secret
  reader.complain(given, `the environment variable ${name} to hold the secret`, { got: 'nothing' })
  return undefined
}
