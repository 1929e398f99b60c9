{{/* Labels of a command's pods: context, command. */}}
{{- define "patrol-sync.commandLabels" -}}
{{- $own := merge (dict "ranger-relay/command" (index . 1).command) (include "ranger-relay.labels" (index . 0) | fromYaml) -}}
{{- with (index . 0).Values }}{{ toYaml (merge $own (.podLabels | default dict) (.commonLabels | default dict)) }}{{ end -}}
{{- end -}}

{{/* The pod of a command: context, command. */}}
{{- define "patrol-sync.podSpec" -}}
{{- $command := index . 1 -}}
{{- with index . 0 -}}
restartPolicy: Never
{{- /* The deadline of the pod is shorter than that of its Job, which would delete the pod with its termination message. */}}
activeDeadlineSeconds: {{ int64 .Values.job.deadlineSeconds }}
terminationGracePeriodSeconds: {{ int64 .Values.job.terminationGracePeriodSeconds }}
serviceAccountName: {{ include "patrol-sync.serviceAccountName" . }}
automountServiceAccountToken: false
{{ include "ranger-relay.podFields" . }}
containers:
  - name: patrol-sync
    {{- include "ranger-relay.containerFields" . | nindent 4 }}
    args:
      - --max-old-space-size={{ include "ranger-relay.heap" . }}
      - /app/sync-tool.mjs
      {{- /* The kubelet replaces $(NAME) in arguments; $$ stands for one $. */}}
      {{- range include "patrol-sync.arguments" (list . $command) | fromJsonArray }}
      - {{ . | replace "$" "$$" | quote }}
      {{- end }}
    env:
      - { name: SUMMARY_FILE, value: /dev/termination-log }
      {{- with .Values.extraEnv }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
    {{- /* The termination message is the summary, JSON; the end of the log must not replace it. */}}
    terminationMessagePath: /dev/termination-log
    terminationMessagePolicy: File
    resources:
      {{- toYaml .Values.resources | nindent 6 }}
    volumeMounts:
      - name: tmp
        mountPath: /tmp
      {{- if has "site" $command.volumes }}
      - { name: site, mountPath: /etc/patrol-sync, readOnly: true }
      {{- end }}
      {{- if has "bundle" $command.volumes }}
      - { name: bundle, mountPath: /bundle, readOnly: true }
      {{- end }}
      {{- if has "output" $command.volumes }}
      - { name: output, mountPath: /output{{ if not $command.writes }}, readOnly: true{{ end }} }
      {{- end }}
      {{- with .Values.extraVolumeMounts }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
  {{- with .Values.extraContainers }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
volumes:
  {{- include "ranger-relay.tmp" . | nindent 2 }}
  {{- if has "site" $command.volumes }}
  - name: site
    projected:
      defaultMode: 288 # 0440
      sources:
        - secret:
            name: {{ .Values.site.token.name }}
            items:
              - key: {{ .Values.site.token.key | quote }}
                path: token
        {{- with .Values.site.ca }}
        - {{ ternary "configMap" "secret" (eq (.kind | default "Secret") "ConfigMap") }}:
            name: {{ .name }}
            items:
              - key: {{ .key | quote }}
                path: ca.pem
        {{- end }}
  {{- end }}
  {{- if has "bundle" $command.volumes }}
  - name: bundle
    {{- if .Values.bundle.configMap }}
    configMap:
      name: {{ .Values.bundle.configMap }}
    {{- else }}
    persistentVolumeClaim:
      claimName: {{ .Values.bundle.claim.name }}
      {{- if ne .Values.bundle.claim.name (include "patrol-sync.outputClaim" .) }}
      readOnly: true
      {{- end }}
    {{- end }}
  {{- end }}
  {{- if has "output" $command.volumes }}
  - name: output
    persistentVolumeClaim:
      claimName: {{ include "patrol-sync.outputClaim" . }}
  {{- end }}
  {{- with .Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
{{- end -}}
