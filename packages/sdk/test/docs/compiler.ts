import { join } from 'node:path'
import ts from 'typescript'

const config = ts.getParsedCommandLineOfConfigFile(
  join(import.meta.dirname, '../../../../tsconfig.json'),
  {},
  {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
      throw new Error(String(diagnostic.messageText))
    },
  },
)
export const compilerOptions: ts.CompilerOptions = { ...config?.options, noEmit: true, incremental: false }

/** What the compiler says of files, some of which are only in memory. */
export function complaints(files: Map<string, string>, more: string[] = []): string[] {
  const host = ts.createCompilerHost(compilerOptions)
  const { readFile, fileExists } = host
  host.readFile = (name) => files.get(name) ?? readFile(name)
  host.fileExists = (name) => files.has(name) || fileExists(name)
  const program = ts.createProgram([...files.keys(), ...more], compilerOptions, host)
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => {
    const line = diagnostic.file?.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line ?? 0
    return `${diagnostic.file?.fileName}:${line + 1} ${ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ')}`
  })
}
