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
const compilerOptions: ts.CompilerOptions = { ...config?.options, noEmit: true, incremental: false }

/** Files on the disk, parsed once for all programs: none changes in between. */
const parsed = new Map<string, ts.SourceFile | undefined>()

/** A program of files, some of which are only in memory. */
export function programOf(names: readonly string[], inMemory = new Map<string, string>()): ts.Program {
  const host = ts.createCompilerHost(compilerOptions)
  const { readFile, fileExists, getSourceFile } = host
  host.readFile = (name) => inMemory.get(name) ?? readFile(name)
  host.fileExists = (name) => inMemory.has(name) || fileExists(name)
  host.getSourceFile = (name, ...rest) => {
    if (inMemory.has(name)) return getSourceFile(name, ...rest)
    if (!parsed.has(name)) parsed.set(name, getSourceFile(name, ...rest))
    return parsed.get(name)
  }
  return ts.createProgram(names, compilerOptions, host)
}

/**
 * The compiler's complaints about files, some of which are only in memory, but not about files that they
 * import.
 */
export function complaints(inMemory: Map<string, string>, more: string[] = []): string[] {
  const names = [...inMemory.keys(), ...more]
  const program = programOf(names, inMemory)
  const diagnostics = names.flatMap((name) => ts.getPreEmitDiagnostics(program, program.getSourceFile(name)))
  return diagnostics.map((diagnostic) => {
    const line = diagnostic.file?.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line ?? 0
    return `${diagnostic.file?.fileName}:${line + 1} ${ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ')}`
  })
}

/** An editor's help for the text in its one file. */
export interface Editor {
  /** The documentation that is shown where the pointer rests. */
  hover(text: string, at: number): string
  /** The names that are offered at the end of the text. */
  completions(text: string): string[]
}

/** An editor with one file, which is only in memory. */
export function editorOf(file: string, options = compilerOptions): Editor {
  let text = ''
  let version = 0
  const service = ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: (path) => (path === file ? String(version) : '0'),
    getScriptSnapshot(path) {
      const content = path === file ? text : ts.sys.readFile(path)
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content)
    },
    fileExists: (path) => path === file || ts.sys.fileExists(path),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  })
  const type = (typed: string) => {
    if (typed !== text) version++
    text = typed
  }
  return {
    hover(typed, at) {
      type(typed)
      return ts.displayPartsToString(service.getQuickInfoAtPosition(file, at)?.documentation)
    },
    completions(typed) {
      type(typed)
      return service.getCompletionsAtPosition(file, typed.length, {})?.entries.map(({ name }) => name) ?? []
    },
  }
}
