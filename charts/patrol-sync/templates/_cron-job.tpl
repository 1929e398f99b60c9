{{/*
A Job in waiting: context, command. It never starts by itself, and a Job that has failed is never tried again by itself: what was written has
to be looked at first. The pod's own deadline comes before that of its Job, which would delete the pod and with it how it ended.
*/}}
{{- define "patrol-sync.cronJob" -}}
{{- $root := index . 0 -}}
{{- $command := index . 1 -}}
{{- $job := $root.Values.job -}}
apiVersion: batch/v1
kind: CronJob
metadata:
  {{- include "lib.metadata" (list $root $command.suffix (dict "ranger-relay/command" ($command.words | join "-")) (dict "ranger-relay/about" (printf "A Job made of it %s" $command.about))) | nindent 2 }}
spec:
  suspend: true
  schedule: '0 0 31 2 *' # never, also if somebody wakes it
  concurrencyPolicy: Forbid
  startingDeadlineSeconds: 60
  successfulJobsHistoryLimit: {{ int64 $job.history }}
  failedJobsHistoryLimit: {{ int64 $job.history }}
  jobTemplate:
    metadata:
      labels:
        {{- include "lib.podLabels" $root | nindent 8 }}
        ranger-relay/command: {{ $command.words | join "-" }}
      {{- with $job.annotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      backoffLimit: 0
      completions: 1
      parallelism: 1
      activeDeadlineSeconds: {{ add (int64 $job.startSeconds) (int64 $job.deadlineSeconds) (int64 $job.terminationGracePeriodSeconds) 60 }}
      ttlSecondsAfterFinished: {{ int64 $job.ttlSecondsAfterFinished }}
      template:
        metadata:
          {{- include "patrol-sync.podMetadata" . | nindent 10 }}
        spec:
          {{- include "patrol-sync.podSpec" . | nindent 10 }}
{{- end -}}
