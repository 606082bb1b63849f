// callbacks.controller.ts
import { Controller, Post, Req, Res } from '@nestjs/common'
import { type NodeRequest, type NodeResponse, toNodeHandler } from '@wigwag/sdk'
import { handler } from './callbacks.js'

const receive = toNodeHandler(handler)

@Controller('callbacks')
export class CallbacksController {
  @Post()
  receive(@Req() request: NodeRequest, @Res() response: NodeResponse) {
    return receive(request, response)
  }
}
