/** An environment variable, where there is an environment: Node, Bun, Deno, and Workers with Node's compatibility. */
export function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env?.[name]
}
