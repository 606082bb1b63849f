import { resolve } from 'node:path'
import { readSecretFile } from '../../kernel/process/secret-file.ts'
import type { Environment, Given, Reader } from './field-reader.ts'

/** A password that a gateway can't read again while it runs, because it is in the environment of the process. */
export interface FixedPassword {
  carrier: string
  variable: string
}

/** The two fields of a carrier that may say where a secret is. */
interface Places {
  env: Given | undefined
  file: Given | undefined
}

/** More than any password. It is not the place for a key. */
const LONGEST = 1_024
const CONTROL = /\p{Cc}/u

/** Reads the secrets of one carriers' file, each from an environment variable or from a file. */
export class Secrets {
  readonly fixed: FixedPassword[] = []
  readonly #reader: Reader
  readonly #environment: Environment
  readonly #folder: string
  readonly #isFixed: (variable: string) => boolean

  constructor(
    reader: Reader,
    own: {
      environment: Environment
      /** The folder of the carriers' file, from which relative paths start. */
      folder: string
      /** Whether a variable is one of the process, and no line of a file. */
      isFixed(variable: string): boolean
    },
  ) {
    this.#reader = reader
    this.#environment = own.environment
    this.#folder = own.folder
    this.#isFixed = own.isFixed
  }

  /** Undefined when neither place is given, or when it has no secret, which has been complained about. */
  read(carrier: string, { env, file }: Places): string | undefined {
    if (env === undefined) return this.#fromFile(file)
    if (file !== undefined) {
      const other = nameOf(env)
      this.#reader.complain(file, `${other} or ${nameOf(file)}, not both`, { got: undefined, atName: true })
      return undefined
    }
    return this.#fromVariable(carrier, env)
  }

  #fromVariable(carrier: string, given: Given): string | undefined {
    const name = typeof given.value === 'string' ? given.value : ''
    if (!/^[A-Z_][A-Z0-9_]*$/.test(name)) {
      // It may be the secret itself.
      const expected = 'the name of an environment variable, in capital letters such as NORTH_PASSWORD'
      this.#reader.complain(given, expected, { got: undefined })
      return undefined
    }
    const { [name]: secret } = this.#environment
    if (!secret) {
      this.#reader.complain(given, `the environment variable ${name} to hold the secret`, { got: 'nothing' })
      return undefined
    }
    if (this.#isFixed(name)) this.fixed.push({ carrier, variable: name })
    return secret
  }

  /** The first line of the file. A password is not shown, whatever is wrong with it. */
  #fromFile(given: Given | undefined): string | undefined {
    const path = this.#reader.text(given, 'the path of a file, such as north.password', /^[^\0]+$/)
    if (given === undefined || path === undefined) return undefined
    const refuse = (got: string) =>
      this.#reader.complain(given, 'a file with the secret in its first line', { got })
    const { text, fault } = readSecretFile(resolve(this.#folder, path))
    if (fault !== undefined) return void refuse(`${path} (${fault})`)
    const [line = ''] = text.split(/\r?\n/, 1)
    if (line === '') return void refuse(`an empty line in ${path}`)
    if (line.length > LONGEST) return void refuse(`a line of more than ${LONGEST} characters in ${path}`)
    if (CONTROL.test(line)) return void refuse(`a control character in ${path}`)
    return line
  }
}

/** `carriers.north.passwordEnv`: the last part. */
function nameOf({ field }: Given): string {
  return field.slice(field.lastIndexOf('.') + 1)
}
