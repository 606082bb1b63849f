import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { deploy } from './settings.ts'

export const folder = join(deploy, 'kubernetes')

export interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string }
}

export async function manifests(): Promise<Manifest[]> {
  const files = (await readdir(folder)).filter((file) => file !== 'kustomization.yaml')
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS()))
}

/** All but one, whose schema the operator of Prometheus brings. */
export async function ofKubernetes(): Promise<Manifest[]> {
  return (await manifests()).filter(({ kind }) => kind !== 'ServiceMonitor')
}
