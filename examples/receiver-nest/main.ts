import 'reflect-metadata'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { CallbacksController } from './callbacks.controller.js'

@Module({ controllers: [CallbacksController] })
class AppModule {}

// The signature covers the bytes as they came: rawBody keeps them beside what Nest parses.
export const app = await NestFactory.create(AppModule, { rawBody: true, logger: ['error', 'warn'] })
await app.listen(process.env.PORT ?? 3000, '127.0.0.1')
console.log(await app.getUrl())
