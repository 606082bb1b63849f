import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Deployment, type IDeployment } from 'kubernetes-models/apps/v1'
import { type IJob, Job } from 'kubernetes-models/batch/v1'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import {
  ConfigMap,
  type IConfigMap,
  type ISecret,
  type IService,
  Secret,
  Service,
} from 'kubernetes-models/v1'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { lastOf, stagesOf } from './dockerfile.ts'
import { folder, manifests, ofKubernetes } from './manifests.ts'
import { deploy } from './settings.ts'

const models = { ConfigMap, Deployment, Job, NetworkPolicy, PodDisruptionBudget, Secret, Service }

async function find<T>(kind: string): Promise<T> {
  const found = (await manifests()).find(
    ({ kind: of, metadata }) => of === kind && metadata.name !== 'wigwag-carriers',
  )
  if (!found) throw new Error(`there is no ${kind}`)
  return found as T
}

describe('the Kubernetes manifests', () => {
  it('fit the schemas of Kubernetes', async () => {
    const ours = await ofKubernetes()
    expect(ours).toHaveLength(9)
    for (const manifest of ours) {
      const Model = Object.entries(models).find(([kind]) => kind === manifest.kind)?.[1]
      if (!Model) throw new Error(`no schema for ${manifest.kind}`)
      const model = new Model(manifest)
      expect(model.apiVersion).toBe(manifest.apiVersion)
      model.validate()
    }
  })

  it('are applied together, but for those that are applied by themselves', async () => {
    const { resources } = parse(await readFile(join(folder, 'kustomization.yaml'), 'utf8'))
    const separate = ['kustomization.yaml', 'migrate.yaml', 'secret.example.yaml', 'servicemonitor.yaml']
    expect([...resources, ...separate].sort()).toEqual((await readdir(folder)).sort())
  })

  it('run the image with its ports, as its user, on a file system that is read-only', async () => {
    const image = stagesOf(await readFile(join(deploy, 'Dockerfile'), 'utf8')).at(-1)
    if (!image) throw new Error('the Dockerfile has no stage')
    const { spec } = await find<IDeployment>('Deployment')
    const pod = spec?.template.spec
    const [container] = pod?.containers ?? []
    expect(container?.ports?.map(({ containerPort }) => String(containerPort))).toEqual(
      lastOf(image, 'EXPOSE').split(' '),
    )
    const { runAsUser, runAsGroup, runAsNonRoot } = pod?.securityContext ?? {}
    expect(`${runAsUser}:${runAsGroup}`).toBe(lastOf(image, 'USER'))
    expect(runAsNonRoot).toBe(true)
    expect(container?.securityContext?.readOnlyRootFilesystem).toBe(true)
  })

  it('leave a gateway the time that it needs to stop', async () => {
    const { spec } = await find<IDeployment>('Deployment')
    const pod = spec?.template.spec
    const wait = Number(pod?.containers[0]?.lifecycle?.preStop?.exec?.command?.[1])
    expect(wait).toBeGreaterThan(0)
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(wait + 10)
  })

  it('trust the pods of a cluster to be proxies, not a whole private network', async () => {
    const { data } = await find<IConfigMap>('ConfigMap')
    const [, bits] = data?.WIGWAG_TRUSTED_PROXIES?.split('/') ?? []
    expect(Number(bits)).toBeGreaterThanOrEqual(16)
  })

  it('name what there is: labels, ports, settings and the secret', async () => {
    const { spec } = await find<IDeployment>('Deployment')
    const service = await find<IService>('Service')
    expect(spec?.template.metadata?.labels).toMatchObject(service.spec?.selector ?? { none: '' })
    const ports = spec?.template.spec?.containers[0]?.ports?.map(({ name }) => name)
    expect(ports).toEqual(service.spec?.ports?.map(({ targetPort }) => targetPort))
    const { metadata } = await find<IConfigMap>('ConfigMap')
    const secret = await find<ISecret>('Secret')
    const job = await find<IJob>('Job')
    const from = [{ configMapRef: { name: metadata?.name } }, { secretRef: { name: secret.metadata?.name } }]
    for (const pod of [spec?.template.spec, job.spec?.template.spec]) {
      expect(pod?.containers[0]?.envFrom).toEqual(from)
    }
  })
})
