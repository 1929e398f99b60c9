{{- define "patrol-sync.outputClaim" -}}
{{- .Values.output.claim.name | default (printf "%s-output" (include "lib.fullname" .)) -}}
{{- end -}}

{{/* Volumes of a command: context, command. */}}
{{- define "patrol-sync.volumes" -}}
{{- $root := index . 0 -}}
{{- $command := index . 1 -}}
{{- $values := $root.Values -}}
- {{ include "lib.tmpVolume" $root | nindent 2 | trim }}
{{- if $command.site }}
- name: site
  projected:
    defaultMode: 288 # 0440
    sources:
      - secret:
          name: {{ $values.site.token.name }}
          items:
            - key: {{ $values.site.token.key | quote }}
              path: token
      {{- with $values.site.ca }}
      - {{ ternary "configMap" "secret" (eq (.kind | default "Secret") "ConfigMap") }}:
          name: {{ .name }}
          items:
            - key: {{ .key | quote }}
              path: ca.pem
      {{- end }}
{{- end }}
{{- if $command.bundle }}
- name: bundle
  {{- if $values.bundle.configMap }}
  configMap:
    name: {{ $values.bundle.configMap }}
  {{- else }}
  persistentVolumeClaim:
    claimName: {{ $values.bundle.claim.name }}
    {{- if ne $values.bundle.claim.name (include "patrol-sync.outputClaim" $root) }}
    readOnly: true
    {{- end }}
  {{- end }}
{{- end }}
{{- if $command.output }}
- name: output
  persistentVolumeClaim:
    claimName: {{ include "patrol-sync.outputClaim" $root }}
{{- end }}
{{- with $values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "patrol-sync.mounts" -}}
{{- $root := index . 0 -}}
{{- $command := index . 1 -}}
- {{ include "lib.tmpMount" $root | nindent 2 | trim }}
{{- if $command.site }}
- name: site
  mountPath: /etc/patrol-sync
  readOnly: true
{{- end }}
{{- if $command.bundle }}
- name: bundle
  mountPath: /bundle
  readOnly: true
{{- end }}
{{- if $command.output }}
- name: output
  mountPath: /output
  {{- if eq $command.output "read" }}
  readOnly: true
  {{- end }}
{{- end }}
{{- with $root.Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* How it ended is told through the file of the termination message; no log takes its place, which would be no JSON. */}}
{{- define "patrol-sync.container" -}}
{{- $root := index . 0 -}}
name: {{ $root.Chart.Name }}
image: {{ include "lib.image" $root }}
imagePullPolicy: {{ $root.Values.image.pullPolicy }}
command:
  - /usr/local/bin/node
args:
  {{- include "patrol-sync.arguments" . | trim | nindent 2 }}
env:
  - name: SUMMARY_FILE
    value: /dev/termination-log
  {{- with $root.Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
terminationMessagePath: /dev/termination-log
terminationMessagePolicy: File
resources:
  {{- include "lib.resources" $root | trim | nindent 2 }}
securityContext:
  {{- include "lib.containerSecurity" $root | nindent 2 }}
volumeMounts:
  {{- include "patrol-sync.mounts" . | trim | nindent 2 }}
{{- end -}}

{{/* Metadata of a command's pods. */}}
{{- define "patrol-sync.podMetadata" -}}
{{- $root := index . 0 -}}
labels:
  {{- include "lib.podLabels" $root | nindent 2 }}
  ranger-relay/command: {{ (index . 1).words | join "-" }}
  {{- with $root.Values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with $root.Values.podAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "patrol-sync.podSpec" -}}
{{- $spec := include "patrol-sync.wholeSpec" . -}}
{{- include "lib.checkAdded" (list (index . 0) ($spec | fromYaml) list) -}}
{{- $spec -}}
{{- end -}}

{{/* The same without a look at what was added. */}}
{{- define "patrol-sync.wholeSpec" -}}
{{- $root := index . 0 -}}
restartPolicy: Never
activeDeadlineSeconds: {{ int64 $root.Values.job.deadlineSeconds }}
terminationGracePeriodSeconds: {{ int64 $root.Values.job.terminationGracePeriodSeconds }}
serviceAccountName: {{ include "lib.accountName" $root }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  {{- include "lib.podSecurity" $root | nindent 2 }}
{{- with include "lib.placement" $root | trim }}
{{ . }}
{{- end }}
{{- with $root.Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
containers:
  - {{ include "patrol-sync.container" . | nindent 4 | trim }}
volumes:
  {{- include "patrol-sync.volumes" . | trim | nindent 2 }}
{{- end -}}
