-- What managed vendors call the fields that not all call alike: the most that may be generated (OpenAI's own models that think refuse
-- `max_tokens`), and what a model thought before (some refuse their own tool calls without it, others refuse it).
ALTER TABLE catalog.managed_vendors
  ADD COLUMN output_limit_field text NOT NULL DEFAULT 'max_tokens'
    CHECK (output_limit_field IN ('max_tokens', 'max_completion_tokens')),
  ADD COLUMN reasoning_field text NOT NULL DEFAULT 'none'
    CHECK (reasoning_field IN ('none', 'reasoning_content', 'reasoning', 'extra_content'));
