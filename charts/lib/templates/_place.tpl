{{/* Keeps replicas apart where that is possible. */}}
{{- define "lib.affinity" -}}
podAntiAffinity:
  preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      podAffinityTerm:
        topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "lib.selectorLabels" . | nindent 12 }}
{{- end -}}

{{- define "lib.spread" -}}
{{- /* Nodes without a zone take no pod that must be spread over zones. */}}
{{- range $key, $when := dict "kubernetes.io/hostname" .Values.topologySpread.whenUnsatisfiable "topology.kubernetes.io/zone" "ScheduleAnyway" }}
- topologyKey: {{ $key }}
  maxSkew: {{ $.Values.topologySpread.maxSkew }}
  whenUnsatisfiable: {{ $when }}
  labelSelector:
    matchLabels:
      {{- include "lib.selectorLabels" $ | nindent 6 }}
{{- end }}
{{- end -}}

{{/* Where pods run: the same for every pod of a chart. */}}
{{- define "lib.placement" -}}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
