import type { Environment } from './config-snippet.ts'

/** Fields that may be left empty: without the variable, the connector's default applies. */
const MAY_BE_EMPTY = ['WIGWAG_MCP_RECIPIENTS', 'WIGWAG_MCP_UNASKED']

/** A field that the host did not replace with its value, such as `${user_config.recipients}`. */
const NOT_REPLACED = /^\$\{.*\}$/

export type FilledIn = { args: string[]; env: Environment } | { problem: string }

/**
 * Turns the fields that a person filled in at a bundle's host into arguments and environment of the
 * connector. An empty limit stays an error, as on the command line, and so does a field that the host did not
 * replace: it may be a limit.
 */
export function readFilledIn(given: Environment): FilledIn {
  const env = { ...given }
  for (const [name, value = ''] of Object.entries(given)) {
    if (!name.startsWith('WIGWAG_')) continue
    if (NOT_REPLACED.test(value)) {
      return { problem: `Expected a value for ${name}; got '${value}'. Fill in that field and save again.` }
    }
    if (value.trim() === '' && MAY_BE_EMPTY.includes(name)) delete env[name]
  }
  const { WIGWAG_MCP_READ_ONLY: readOnly = 'false' } = given
  if (readOnly !== 'true' && readOnly !== 'false') {
    return { problem: `Expected WIGWAG_MCP_READ_ONLY to be true or false; got '${readOnly}'.` }
  }
  return { args: readOnly === 'true' ? ['--read-only'] : [], env }
}
