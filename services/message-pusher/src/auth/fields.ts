import { z } from 'zod';

/** What people fill in. A run takes anything and answers in band what is wrong with it. */
export const authFields = z.object({
  api_url: z.string().min(1).meta({
    title: 'Address of the inbound service',
    description: 'As the vendor shows it, such as https://inbound.vendor.example',
  }),
  username: z.string().min(1).meta({ title: 'User name' }),
  password: z.string().min(1).meta({ title: 'Password', secret: true }),
});
