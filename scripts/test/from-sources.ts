/** Lets tests run on the packages' sources, as the type check does, and not on what was built. */
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import '../jsx.ts'

const packages = join(import.meta.dirname, '../../packages')

const SOURCES: Record<string, string> = {
  '@wigwag/conform': 'conform/src/index.ts',
  '@wigwag/contract': 'contract/src/index.ts',
  '@wigwag/contract/content': 'contract/src/text/content.ts',
  '@wigwag/contract/openapi': 'contract/src/generated/openapi.ts',
  '@wigwag/contract/operations': 'contract/src/generated/operations.ts',
  '@wigwag/contract/recipient': 'contract/src/text/recipient.ts',
  '@wigwag/contract/segments': 'contract/src/text/segments.ts',
  '@wigwag/contract/tools': 'contract/src/generated/tools.ts',
  '@wigwag/contract/validators': 'contract/src/generated/validators.ts',
  '@wigwag/mcp': 'mcp/src/index.ts',
  '@wigwag/sdk': 'sdk/src/index.ts',
  '@wigwag/sdk/node': 'sdk/src/node/index.ts',
  '@wigwag/sdk/raw': 'sdk/src/raw.ts',
  '@wigwag/sdk/segments': 'sdk/src/segments/index.ts',
  '@wigwag/sdk/testing': 'sdk/src/testing/index.ts',
  '@wigwag/smpp': 'smpp/src/index.ts',
  '@wigwag/smpp/codec': 'smpp/src/codec/index.ts',
  '@wigwag/smpp/testing': 'smpp/src/smsc/index.ts',
  '@wigwag/server/testing': 'server/src/testing/index.ts',
}

registerHooks({
  resolve(specifier, context, next) {
    const source = SOURCES[specifier]
    return source
      ? { url: pathToFileURL(join(packages, source)).href, shortCircuit: true }
      : next(specifier, context)
  },
})
